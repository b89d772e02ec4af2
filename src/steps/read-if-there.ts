import { isNotFound } from '../adapter/api-error.ts'

/**
 * The result of a read; undefined if the resource does not exist: on a 404, or on a 400 in answer to a read by id
 * (decision 138).
 */
export async function readIfThere<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
