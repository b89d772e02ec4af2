const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz'
const RANDOM_LENGTH = 10

/**
 * A new run's id, such as `20261121t020003-x7f3kq2mzp`. It sorts by time and has 49 random bits. `at` is in
 * milliseconds since 1970.
 */
export function runIdAt(at: number, random: () => number): string {
  const time = new Date(at)
    .toISOString()
    .replace(/[-:]|\.\d+Z$/g, '')
    .toLowerCase()
  const tail = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET[Math.floor(random() * ALPHABET.length)])
  return `${time}-${tail.join('')}`
}

/** Whether an id was made in an earlier second than another one. Ids made in the same second have no order. */
export function isOfEarlierSecond(runId: string, other: string): boolean {
  return secondOf(runId) < secondOf(other)
}

function secondOf(runId: string): string {
  return runId.split('-', 1).join()
}
