import { count } from '../../../../core/format/figures.ts'
import { shortCommit } from '../../../../core/format/short-commit.ts'
import type { CommitChanges } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { place, to } from '../../router/location.ts'
import { CommitLink } from '../../runs/run-link.tsx'
import { Diff } from '../../ui/diff.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Empty } from '../../ui/notice.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'

/** Shows what a commit changed in the documents, compared with the commit before it or with another one. */
export function ChangesPage({ commit }: { commit: string }) {
  const against = place.value.query.get('against') || undefined
  const read = useRead('deployment.changes', { commit, against })
  const inUse = useRead('deployment.get', {}).data?.deployed
  const here = `/deployment/${encodeURIComponent(commit)}`
  const lead = (
    <>
      <a href={to('/deployment')}>All deployments</a>
      {against !== undefined && <a href={to(here)}>Compare with the commit before it</a>}
      {inUse && inUse.commit !== commit && against === undefined && (
        <a href={to(here, { against: inUse.commit })}>Compare with the commit in use</a>
      )}
    </>
  )
  return (
    <Page title={`Commit ${shortCommit(commit)}`} lead={lead}>
      <Loaded read={read} rows={8}>
        {(changes) => <Changes changes={changes} />}
      </Loaded>
    </Page>
  )
}

function Changes({ changes: { commit, against, files, moreFiles } }: { changes: CommitChanges }) {
  return (
    <>
      <Section title="Commit">
        <Facts
          items={[
            ['Message', <bdi key="message">{commit.subject}</bdi>],
            ['Author', <bdi key="author">{commit.author}</bdi>],
            ['Made', <Time key="made" at={commit.committedAt} withZone />],
            ['In use since', <Time key="at" at={commit.at} withZone />],
            ['Compared with', against ? <CommitLink commit={against.commit} /> : 'nothing: it was the first commit'],
          ]}
        />
      </Section>
      {files.length === 0 && <Empty>No file differs.</Empty>}
      {files.map(({ file, change, diff, notShown }) => (
        <Section key={file} title={`${file}, ${change}`}>
          {notShown === undefined ? (
            <Diff lines={diff} label={`Differences in ${file}`} />
          ) : (
            <p class="muted">{NOT_SHOWN[notShown]}</p>
          )}
        </Section>
      ))}
      {moreFiles > 0 && <p class="muted">{count(moreFiles, 'more file differs', 'more files differ')}.</p>}
    </>
  )
}

const NOT_SHOWN: Readonly<Record<NonNullable<CommitChanges['files'][number]['notShown']>, string>> = {
  'not-a-document': 'Only the lines of documents are shown: other files may be lists of people.',
  'too-large': 'The differences are too long to show here.',
}
