import { PauseButton } from '../../actions/pause-button.tsx'
import { UploadDialog } from '../../actions/upload-dialog.tsx'
import type { Folder } from '../../api/types.ts'
import { TriggerCell } from '../../runs/run-link.tsx'
import { may } from '../../shell/me.ts'
import { openModal } from '../../ui/modal.tsx'
import { ActionsHead, Head, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'

/** One line a folder, with files that it cannot take, and what can be done. */
export function FolderTable({ folders, reload }: { readonly folders: readonly Folder[]; readonly reload: () => void }) {
  const head = (
    <>
      <Head>Pipeline</Head>
      <Head>Folder</Head>
      <Head right>In progress</Head>
      <ActionsHead />
    </>
  )
  return (
    <Table label="Watched folders" head={head}>
      {folders.map((folder) => (
        <Row key={`${folder.pipeline}/${folder.trigger}`} folder={folder} reload={reload} />
      ))}
    </Table>
  )
}

function Row({ folder, reload }: { readonly folder: Folder; readonly reload: () => void }) {
  const { pipeline, trigger, path, pattern, pausedSince, open, ignored } = folder
  return (
    <tr>
      <TriggerCell pipeline={pipeline} trigger={trigger} />
      <td class="text">
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
      </td>
      <td class="right figure">{open}</td>
      <td class="right">
        {may('operator') && (
          <span class="actions end">
            <button
              type="button"
              onClick={() => openModal((onClose) => <UploadDialog {...{ folder, onClose }} done={reload} />)}
            >
              Upload…<span class="hidden"> to {`${pipeline} ${trigger}`}</span>
            </button>
            <PauseButton trigger={folder} reload={reload} />
          </span>
        )}
      </td>
    </tr>
  )
}
