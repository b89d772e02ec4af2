import type { OperationId } from '../../contract/operations.ts'

/** One request to the API, without its token and its body. */
export interface JournalEntry {
  /** When it arrived, in milliseconds since 1970, by the service's clock. */
  readonly at: number
  /** The participant of the address; null if the address belongs to no participant. */
  readonly participant: number | null
  /** Null if the contract has no such operation. */
  readonly operation: OperationId | null
  readonly method: string
  readonly path: string
  /** The parameters that the operation knows. Any other parameter might be a secret. */
  readonly query: Readonly<Record<string, readonly string[]>>
  /** Null if the connection ended without an answer. */
  readonly status: number | null
  readonly durationMs: number
  readonly requestId: string
  /** The announced length of the body; null if the client did not announce it. */
  readonly bodyBytes: number | null
  /** The fault that was applied; null if none was. */
  readonly fault: { readonly rule: string; readonly action: string } | null
}

interface JournalFilter {
  readonly operation?: string | undefined
  readonly participant?: number | undefined
}

/** The last requests to the API. */
export interface RequestJournal {
  add(entry: JournalEntry): void
  /** Newest first. */
  list(filter: JournalFilter, limit: number): JournalEntry[]
  clear(): void
}

export const JOURNAL_LENGTH = 10_000

export function createRequestJournal(length = JOURNAL_LENGTH): RequestJournal {
  let ring: JournalEntry[] = []
  /** The index for the next entry. Once the ring is full, the oldest entry is at this index. */
  let next = 0
  return {
    add(entry) {
      ring[next] = entry
      next = (next + 1) % length
    },
    list({ operation, participant }, limit) {
      const found: JournalEntry[] = []
      for (let back = 1; back <= ring.length && found.length < limit; back++) {
        const entry = ring[(next - back + length) % length]
        if (!entry) break
        if (operation !== undefined && entry.operation !== operation) continue
        if (participant !== undefined && entry.participant !== participant) continue
        found.push(entry)
      }
      return found
    },
    clear() {
      ring = []
      next = 0
    },
  }
}
