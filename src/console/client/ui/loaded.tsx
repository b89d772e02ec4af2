import type { ComponentChildren } from 'preact'
import type { Read } from '../api/use-read.ts'
import { Loading, Problem } from './notice.tsx'

/** What was read; or that it is loading, or why it failed. What is known stays in sight while the connection is lost. */
export function Loaded<T>({
  read,
  rows,
  children,
}: {
  readonly read: Read<T>
  readonly rows?: number
  readonly children: (data: T) => ComponentChildren
}) {
  const { data, error, reload } = read
  if (data !== undefined)
    return (
      <>
        {error && error.status !== 0 && <Problem error={error} retry={reload} />}
        {children(data)}
      </>
    )
  return error ? <Problem error={error} retry={reload} /> : <Loading {...(rows !== undefined && { rows })} />
}
