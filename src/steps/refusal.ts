import { ApiError } from '../adapter/api-error.ts'

/** Whether the service refused this very request, whatever its words: 400 or 409 (decision 144). */
export function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.request.status === 400 || error.request.status === 409)
}
