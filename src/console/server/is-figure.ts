/** Whether a number of this name counts or measures something. An id does not: nobody adds or compares ids. */
export function isFigure(name: string): boolean {
  return !/(?:^id|Id|ID|[-_]id)$/.test(name)
}
