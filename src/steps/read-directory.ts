import { ApiError } from '../adapter/api-error.ts'
import { ListError } from '../adapter/list-error.ts'
import type { Directory } from './ownership.ts'
import type { LookupDeps } from './writes/reconciler.ts'

/** The groups and partners that the caller sees. What cannot be read is undefined: then it proves nothing. */
export async function readDirectory({ api, signal }: LookupDeps): Promise<Directory> {
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
