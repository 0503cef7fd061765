/** What is used of the optional package, so that its absence is no error of compiling. */
declare module '@huggingface/transformers' {
  export const env: { allowRemoteModels: boolean; allowLocalModels: boolean; localModelPath: string };

  interface Tensor {
    readonly dims: readonly number[];
    readonly data: Float32Array;
  }

  export function pipeline(
    task: 'feature-extraction',
    model: string,
    options: { readonly local_files_only: boolean; readonly dtype: 'fp32' | 'q8' },
  ): Promise<
    (
      texts: readonly string[],
      options: { readonly pooling: 'mean' | 'cls'; readonly normalize: boolean },
    ) => Promise<Tensor>
  >;
}
