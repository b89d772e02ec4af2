import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ApiAnswerOf, ApiInputOf } from '../../api/operations.ts'
import type { Change } from '../live/changes.ts'
import { keepReading } from '../live/keep-reading.ts'
import { asCallError, type CallError } from './call-error.ts'
import { get } from './request.ts'
import type { ReadId } from './types.ts'

export interface Read<T> {
  /** The last data that arrived. It stays until newer data arrives. */
  readonly data: T | undefined
  /** Why there is no data, or no newer data. */
  readonly error: CallError | undefined
  reload(): void
}

/**
 * Reads from the API. Reads again after each reconnection, after each action on this page, and after each change that
 * `affects` the data. Reads nothing while `id` is undefined.
 */
export function useRead<Id extends ReadId>(
  id: Id | undefined,
  input: ApiInputOf<Id>,
  affects: (change: Change) => boolean = () => false,
): Read<ApiAnswerOf<Id>> {
  const key = id === undefined ? '' : id + JSON.stringify(input)
  const state = useSignal<{ key: string; data?: ApiAnswerOf<Id>; error?: CallError }>({ key })
  const again = useSignal(() => {})
  useEffect(() => {
    if (id === undefined) return
    const stop = new AbortController()
    const read = async () => {
      try {
        const data = await get(id, input, stop.signal)
        if (!stop.signal.aborted) state.value = { key, data }
      } catch (error) {
        if (!stop.signal.aborted)
          state.value = { ...(state.peek().key === key ? state.peek() : { key }), error: asCallError(error) }
      }
    }
    again.value = keepReading(read, affects, stop.signal)
    return () => stop.abort()
  }, [key])
  const { data, error } = state.value.key === key ? state.value : { data: undefined, error: undefined }
  return { data, error, reload: () => again.peek()() }
}
