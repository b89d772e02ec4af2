import { ApiError } from '../adapter/api-error.ts'
import { ListError } from '../adapter/list-error.ts'
import type { Match } from '../contract/matches.ts'
import { approverOf, type Directory } from './ownership.ts'
import type { LookupDeps } from './writes/reconciler.ts'

/**
 * The groups and partners that the caller sees, for matches whose maker this state does not know. A part that cannot be
 * read is undefined and proves nothing. If no match shows an approver, it reads nothing, because that would not help.
 */
export async function readDirectory(matches: readonly Match[], { api, signal }: LookupDeps): Promise<Directory> {
  if (!matches.some((match) => approverOf(match) !== undefined)) return { groups: undefined, partnerIds: undefined }
  const [groups, partners] = await Promise.all([
    readable(() => Array.fromAsync(api.items('groups.list', {}, { signal }))),
    readable(() => Array.fromAsync(api.items('partners.list', {}, { signal }))),
  ])
  return { groups, partnerIds: partners?.map(({ id }) => String(id)) }
}

async function readable<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof ApiError || error instanceof ListError) return undefined
    throw error
  }
}
