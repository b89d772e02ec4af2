/** A commit as people write it. */
export function shortCommit(commit: string): string {
  return commit.slice(0, 7)
}
