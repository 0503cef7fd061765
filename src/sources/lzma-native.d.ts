declare module 'lzma-native' {
  import type { Duplex } from 'node:stream';

  interface StreamDecoderOptions {
    /** Bytes of working memory the decoder may take. */
    readonly memlimit: number;
    /** Sum of flags such as CONCATENATED. */
    readonly flags: number;
    /** Bytes of one output buffer. */
    readonly bufsize: number;
  }

  interface Lzma {
    /** Flag: go on after the end of a stream, as the xz command does. */
    readonly CONCATENATED: number;
    createStream(coder: 'streamDecoder', options: StreamDecoderOptions): Duplex;
  }

  const lzma: Lzma;
  export default lzma;
}
