/** Words that frame a question and say nothing of its subject, folded, apostrophes as `'`. The one list of them. */
export const SCAFFOLDING: ReadonlySet<string> = new Set(
  `
  what which who whom whose when where why how
  what's who's where's when's how's why's that's there's here's it's let's what're who're
  is are was were am be been being isn't aren't wasn't weren't
  do does did doing done don't doesn't didn't
  has have had having hasn't haven't hadn't
  can could would should will shall may might must can't couldn't wouldn't shouldn't won't
  the a an this that these those there here
  of in on at to for from by with about into onto as than
  and or nor not but if then so
  it its they them their he him his she her we us our you your i me my i'm i've i'd
  please tell give find show list explain describe know want need looking
  any some such also just
  `
    .trim()
    .split(/\s+/),
);
