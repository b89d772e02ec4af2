import { useSignal } from '@preact/signals'
import { formatBytes } from '../../../core/format/figures.ts'
import { reasonText } from '../../../core/format/reason-text.ts'
import { post, upload } from '../api/request.ts'
import type { FileItem, FolderItem } from '../api/types.ts'
import { ActButton, ActDialog, type Reason } from '../ui/act-dialog.tsx'

/** Uploads a file into a watched folder. */
export function UploadDialog({ folder: { pipeline, trigger, path, pattern } }: { folder: FolderItem }) {
  const file = useSignal<File | undefined>(undefined)
  const chosen = file.value
  const act = async (reason: Reason) => {
    if (!chosen) throw new Error('choose a file first')
    await upload('files.upload', { pipeline, trigger, name: chosen.name, ...reason }, chosen)
    return `${chosen.name} is in the folder; the trigger takes it within seconds`
  }
  return (
    <ActDialog title={`Upload a file to ${pipeline}/${trigger}`} button="Upload" act={act} ready={chosen !== undefined}>
      <p>
        It goes to <code class="break">{path}</code> and is treated like any file that is put there: a run begins if its
        name fits <code>{pattern}</code>.
      </p>
      <label class="field">
        File
        <input type="file" required onChange={({ currentTarget }) => (file.value = currentTarget.files?.[0])} />
      </label>
      {chosen && (
        <p class="muted">
          <bdi>{chosen.name}</bdi>, {formatBytes(chosen.size)}
        </p>
      )}
    </ActDialog>
  )
}

/** Opens the dialog for moving a file from the folder for failed files back into the watched folder. */
export function RetryFileButton({ file }: { file: FileItem }) {
  const { pipeline, trigger, key, name = key, state, reason: why } = file
  const act = async (reason: Reason) => {
    await post('files.retry', { pipeline, trigger, key, ...reason })
    return `${name} is in the watched folder of ${pipeline}/${trigger} again`
  }
  return (
    <ActButton about={file.name} title={`Drop ${name} again`} button="Drop again" act={act}>
      <p>
        The file moves from the folder for failed files back into the watched folder, and is taken as a new one.{' '}
        {state === 'ran'
          ? 'Its run failed. It gets another run, which begins with the first step.'
          : `It had no run${why === undefined ? '' : `: ${reasonText(why)}`}.`}
      </p>
    </ActButton>
  )
}
