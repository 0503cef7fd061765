declare module 'unbzip2-stream/lib/bzip2.js' {
  /** Reads that many bits (at most 32, most significant first) as a signed integer; null skips to the next whole byte. */
  type BitReader = (bits: number | null) => number;

  interface Bzip2 {
    /** Reads a stream header; returns the block size in units of 100,000 bytes. */
    header(bits: BitReader): number;
    /**
     * Decodes one block, giving each byte to `write`; returns the checksum of the stream so far,
     * or null when it read the end of the stream, whose checksum it then verified and which it leaves at a whole byte.
     */
    decompress(
      bits: BitReader,
      write: (byte: number) => void,
      workspace: Int32Array,
      workspaceLength: number,
      streamCrc: number,
    ): number | null;
  }

  const bzip2: Bzip2;
  export default bzip2;
}
