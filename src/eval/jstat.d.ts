declare module 'jstat' {
  interface JStat {
    /** p of a one-sample t-test: whether the mean of `sample` is `value`; 1 or 2 sides. */
    ttest(value: number, sample: readonly number[], sides: 1 | 2): number;
  }

  const jstat: { readonly jStat: JStat };
  export default jstat;
}
