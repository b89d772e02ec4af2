import { shortCommit } from '../../../../core/format/short-commit.ts'
import { to } from '../../router/location.ts'

/** A commit that has been in use, as a link to what it changed. */
export function CommitLink({ commit, isRow = false }: { commit: string; isRow?: boolean }) {
  return (
    <a href={to(`/deployment/${encodeURIComponent(commit)}`)} title={commit} data-row={isRow || undefined}>
      <code>{shortCommit(commit)}</code>
    </a>
  )
}
