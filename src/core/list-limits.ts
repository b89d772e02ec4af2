/** What the work on a list may take of this machine, as audience.yaml defines it. */
export interface ListLimits {
  /** The memory of the process that reads the rows. */
  readonly memoryBytes: number
  /** The time for one list, from its turn on. */
  readonly timeoutMs: number
  /** How many lists are worked on at the same time; undefined: as many as fit into the memory of the machine. */
  readonly atOnce: number | undefined
  /** How many bytes the compressed files of one list may become. */
  readonly maxUnpackedBytes: number
  /** How many times its own size a compressed file may become. */
  readonly maxRatio: number
}

export const LIST_LIMITS: ListLimits = {
  memoryBytes: 1e9,
  timeoutMs: 1_800_000,
  atOnce: undefined,
  maxUnpackedBytes: 10e9,
  maxRatio: 200,
}
