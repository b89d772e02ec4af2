import { useSignal } from '@preact/signals'
import { formatBytes } from '../../../core/format/figures.ts'
import { upload } from '../api/request.ts'
import type { Folder } from '../api/types.ts'
import { ActDialog } from '../ui/act-dialog.tsx'
import type { ActProps } from './act-props.ts'

/** Putting a file into a watched folder. */
export function UploadDialog({
  folder: { pipeline, trigger, path, pattern },
  done,
  onClose,
}: ActProps & {
  readonly folder: Folder
}) {
  const file = useSignal<File | undefined>(undefined)
  const act = async (reason: { readonly reason?: string }) => {
    if (!file.value) throw new Error('choose a file first')
    await upload('/files/{pipeline}/{trigger}', { pipeline, trigger, name: file.value.name, ...reason }, file.value)
    return `${file.value.name} is in the folder; the trigger takes it within seconds`
  }
  return (
    <ActDialog
      title={`Upload a file to ${pipeline}/${trigger}`}
      button="Upload"
      {...{ act, done, onClose }}
      ready={file.value !== undefined}
    >
      <p>
        It goes to <code class="break">{path}</code> and is treated like any file that is put there: a run begins if its
        name fits <code>{pattern}</code>.
      </p>
      <label class="field">
        File
        <input
          type="file"
          required
          onChange={({ currentTarget }) => {
            file.value = currentTarget.files?.[0]
          }}
        />
      </label>
      {file.value && (
        <p class="muted">
          <bdi>{file.value.name}</bdi>, {formatBytes(file.value.size)}
        </p>
      )}
    </ActDialog>
  )
}
