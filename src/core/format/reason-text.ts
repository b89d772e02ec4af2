/** Each code that says why a slot, a file or a set of ended runs got no run (docs/schedules.md), in words. */
const REASONS: Readonly<Record<string, string>> = {
  overlap: 'the previous run had not ended',
  paused: 'it was paused',
  excluded: 'its day is excluded',
  condition: 'the condition of the trigger was false',
  withdrawn: 'it was taken back',
  superseded: 'a later one ran instead',
  incomplete: 'not all runs that it waits for ended in time',
  late: 'its run ended too late, when nothing was waiting for it any more',
  expired: 'it was too long ago to catch up',
  down: 'nothing was running then',
  duplicate: 'the same content already had a run',
}

/** Why a slot, a file or a set got no run, in words; a sentence stays as it is. */
export function reasonText(reason: string): string {
  return Object.hasOwn(REASONS, reason) ? (REASONS[reason] ?? reason) : reason
}
