/** How much of this machine the work on a list may use, as audience.yaml defines it. */
export interface ListLimits {
  /** The memory of the process that reads the rows. */
  readonly memoryBytes: number
  /** The time for one list, from the beginning of its turn. */
  readonly timeoutMs: number
  /** How many lists are worked on at the same time. If undefined, as many as fit into the memory of the machine. */
  readonly atOnce: number | undefined
  /** The maximum size of the compressed files of one list once they are decompressed. */
  readonly maxUnpackedBytes: number
  /** The maximum size of a decompressed file, as a multiple of its compressed size. */
  readonly maxRatio: number
}

export const LIST_LIMITS: ListLimits = {
  memoryBytes: 1e9,
  timeoutMs: 1_800_000,
  atOnce: undefined,
  maxUnpackedBytes: 10e9,
  maxRatio: 200,
}
