import { useSignal } from '@preact/signals'
import { PauseDialog } from '../../actions/pause-dialog.tsx'
import { UploadDialog } from '../../actions/upload-dialog.tsx'
import type { Folder } from '../../api/types.ts'
import { PipelineLink } from '../../runs/run-link.tsx'
import { may } from '../../shell/me.ts'
import { Head, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'

type Act = { readonly kind: 'pause' | 'resume' | 'upload'; readonly folder: Folder }

/** One line a folder, with files that it cannot take, and what can be done. */
export function FolderTable({ folders, reload }: { readonly folders: readonly Folder[]; readonly reload: () => void }) {
  const act = useSignal<Act | undefined>(undefined)
  const onClose = () => {
    act.value = undefined
  }
  const head = (
    <>
      <Head>Pipeline</Head>
      <Head>Folder</Head>
      <Head right>In progress</Head>
      <Head>
        <span class="hidden">Actions</span>
      </Head>
    </>
  )
  return (
    <>
      <Table label="Watched folders" head={head}>
        {folders.map((folder) => (
          <Row
            key={`${folder.pipeline}/${folder.trigger}`}
            folder={folder}
            onAct={(kind) => {
              act.value = { kind, folder }
            }}
          />
        ))}
      </Table>
      {act.value?.kind === 'upload' && <UploadDialog folder={act.value.folder} done={reload} onClose={onClose} />}
      {act.value && act.value.kind !== 'upload' && (
        <PauseDialog kind={act.value.kind} {...act.value.folder} done={reload} onClose={onClose} />
      )}
    </>
  )
}

function Row({ folder, onAct }: { readonly folder: Folder; readonly onAct: (kind: Act['kind']) => void }) {
  const { pipeline, trigger, path, pattern, pausedSince, open, ignored } = folder
  return (
    <tr>
      <td class="name">
        <PipelineLink name={pipeline} />
        <span class="under">{trigger}</span>
      </td>
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
            <button type="button" onClick={() => onAct('upload')}>
              Upload…<span class="hidden"> to {`${pipeline} ${trigger}`}</span>
            </button>
            <button type="button" onClick={() => onAct(pausedSince === undefined ? 'pause' : 'resume')}>
              {pausedSince === undefined ? 'Pause…' : 'Resume…'}
              <span class="hidden"> {`${pipeline} ${trigger}`}</span>
            </button>
          </span>
        )}
      </td>
    </tr>
  )
}
