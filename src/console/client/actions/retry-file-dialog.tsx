import { post } from '../api/request.ts'
import type { WatchedFile } from '../api/types.ts'
import { ActDialog } from '../ui/act-dialog.tsx'
import type { ActProps } from './act-props.ts'

/** Dropping a file again that failed before it had a run. */
export function RetryFileDialog({
  file,
  done,
  onClose,
}: ActProps & {
  readonly file: WatchedFile
}) {
  const { pipeline, trigger, key, name = key } = file
  const act = async (reason: { readonly reason?: string }) => {
    await post('/files/{pipeline}/{trigger}/retry', { pipeline, trigger, key, ...reason })
    return `${name} is in the watched folder of ${pipeline}/${trigger} again`
  }
  return (
    <ActDialog title={`Drop ${name} again`} button="Drop again" {...{ act, done, onClose }}>
      <p>
        The file moves from the folder for failed files back into the watched folder, and is taken as a new one. It had
        no run{file.reason === undefined ? '.' : `: ${file.reason}.`}
      </p>
    </ActDialog>
  )
}
