import { formatBytes } from '../../../../core/format/figures.ts'
import { RetryFileButton, UploadDialog } from '../../actions/file-dialogs.tsx'
import { PauseButton } from '../../actions/pause-button.tsx'
import type { FileItem, FolderItem } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { ofKind } from '../../live/changes.ts'
import { TriggerLine, TriggerName, triggerKey } from '../../runs/run-link.tsx'
import { may } from '../../shell/me.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { DialogButton } from '../../ui/modal.tsx'
import { Empty } from '../../ui/notice.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { actsColumn, type Column, InZone, orDash, Rows, RowsSection } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { chosenTrigger, OnlyTrigger } from '../schedules/only-trigger.tsx'
import { SlotState } from '../schedules/slot-state.tsx'

const MOST_LISTED = 200

/** The watched folders, and the outcomes of their files. */
export function FilesPage() {
  const read = useRead('files.list', { limit: MOST_LISTED, ...chosenTrigger() }, ofKind('runs', 'pipelines', 'beat'))
  return (
    <Page title="Files" lead={<OnlyTrigger all="All folders" />}>
      <Loaded read={read} rows={8}>
        {({ folders, files, hasOlder }) =>
          folders.length === 0 ? (
            <Empty>No pipeline watches a folder.</Empty>
          ) : (
            <>
              <RowsSection title="Watched folders" rows={folders} columns={FOLDERS} keyOf={triggerKey} />
              <Section title="Files">
                <Rows
                  label="Files"
                  rows={files}
                  columns={FILES}
                  keyOf={(file) => `${file.pipeline}/${file.trigger}/${file.key}`}
                  empty="No file has been found yet."
                />
                {hasOlder && <p class="muted after-table">Only the newest {MOST_LISTED} files are shown.</p>}
              </Section>
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

const FOLDERS: readonly Column<FolderItem>[] = [
  ['Pipeline', (folder) => <TriggerName {...folder} />, 'name'],
  [
    'Folder',
    ({ path, pattern, pausedSince, ignored }) => (
      <>
        <code class="break">{path}</code> <span class="muted">{pattern}</span>
        {pausedSince !== undefined && (
          <span class="under">
            <span class="chip wait">paused</span> since <Time at={pausedSince} withZone />
          </span>
        )}
        {ignored.map(({ file, reason }) => (
          <span class="under wait" key={file}>
            <bdi>{file}</bdi>: {reason}
          </span>
        ))}
      </>
    ),
    'text',
  ],
  ['In progress', ({ open }) => open, 'right figure'],
  actsColumn((folder) => (
    <span class="actions end">
      <DialogButton
        text="Upload…"
        about={`to ${folder.pipeline} ${folder.trigger}`}
        dialog={() => <UploadDialog folder={folder} />}
      />
      <PauseButton {...folder} />
    </span>
  )),
]

const FILES: readonly Column<FileItem>[] = [
  ['File', ({ name, file, key }) => <bdi title={file}>{name ?? file ?? key}</bdi>, 'name'],
  ['Pipeline', (file) => <TriggerLine {...file} />, 'text'],
  [<InZone text="Found" />, ({ at }) => <Time at={at} />],
  ['Size', ({ size }) => orDash(size, formatBytes), 'right figure'],
  [
    'Outcome',
    (file) => (
      <>
        <SlotState slot={file} /> {file.canRetry && may('operator') && <RetryFileButton file={file} />}
      </>
    ),
    'text',
  ],
]
