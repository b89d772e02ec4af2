import type { ComponentChildren } from 'preact'
import type { Read } from '../api/use-read.ts'
import { Loading, ProblemNotice } from './notice.tsx'

interface LoadedProps<T> {
  read: Read<T>
  rows?: number
  children: (data: T) => ComponentChildren
}

/**
 * Shows the data that was read, that it is being loaded, or why loading failed. Known data stays visible while the
 * connection is lost.
 */
export function Loaded<T>({ read, rows, children }: LoadedProps<T>) {
  const { data, error, reload } = read
  if (data !== undefined)
    return (
      <>
        {error && error.status !== 0 && <ProblemNotice error={error} retry={reload} />}
        {children(data)}
      </>
    )
  return error ? <ProblemNotice error={error} retry={reload} /> : <Loading rows={rows} />
}
