/** What GitHub leaves out of the anchor of a heading. */
const NOT_IN_ANCHORS = /[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu;

/**
 * A name for a section that is the same in every build as long as its headings are: the anchors that GitHub makes of its
 * heading path, joined by slashes. Empty before the first heading.
 */
export function sectionAnchor(heading: readonly string[]): string {
  return heading
    .map((part) => part.normalize('NFC').toLowerCase().replace(NOT_IN_ANCHORS, '').replaceAll(' ', '-'))
    .join('/');
}
