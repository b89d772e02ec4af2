import { useRead } from '../../api/use-read.ts'
import { place, setQuery } from '../../router/location.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Empty } from '../../ui/notice.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { FileTable } from './file-table.tsx'
import { FolderTable } from './folder-table.tsx'

/** The watched folders, and what became of their files. */
export function FilesPage() {
  const pipeline = place.value.query.get('pipeline') ?? ''
  const trigger = place.value.query.get('trigger') ?? ''
  const input = { limit: 200, ...(pipeline !== '' && { pipeline }), ...(trigger !== '' && { trigger }) }
  const read = useRead('/files', input, ({ kind }) => kind === 'runs' || kind === 'pipelines' || kind === 'beat')
  const only = pipeline !== '' && (
    <>
      <span>Only {[pipeline, trigger].filter(Boolean).join('/')}</span>
      <button type="button" class="link" onClick={() => setQuery({ pipeline: '', trigger: '' })}>
        All folders
      </button>
    </>
  )
  return (
    <Page title="Files" lead={only}>
      <Loaded read={read} rows={8}>
        {({ folders, files }) =>
          folders.length === 0 ? (
            <Empty>No pipeline watches a folder.</Empty>
          ) : (
            <>
              <Section title="Watched folders" count={folders.length}>
                <FolderTable folders={folders} reload={read.reload} />
              </Section>
              <Section title="Files">
                <FileTable files={files} reload={read.reload} />
              </Section>
            </>
          )
        }
      </Loaded>
    </Page>
  )
}
