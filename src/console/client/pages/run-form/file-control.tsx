import { useSignal } from '@preact/signals'
import { formatBytes } from '../../../../core/format/figures.ts'
import { asApiError } from '../../api/api-error.ts'
import { upload } from '../../api/request.ts'
import { FilePick } from '../../ui/file-pick.tsx'
import type { ControlProps } from './form.ts'

type Sent =
  | { readonly state: 'under way' | 'done'; readonly file: File }
  | { readonly state: 'failed'; readonly why: string }

/** A file by its path at the daemon. A file of this computer is uploaded first, and its path there is filled in. */
export function FileControl({ field, text, onText, about, form: { pipeline, uploads } }: ControlProps) {
  const sent = useSignal<Sent | undefined>(undefined)
  const send = async (file: File) => {
    sent.value = { state: 'under way', file }
    uploads.value += 1
    try {
      const answer = await upload('/pipelines/{pipeline}/uploads', { pipeline, name: file.name }, file)
      sent.value = { state: 'done', file }
      onText(answer.file)
    } catch (error) {
      sent.value = { state: 'failed', why: asApiError(error).message }
    } finally {
      uploads.value -= 1
    }
  }
  return (
    <div class="file-control">
      <div class="row">
        <input
          {...about}
          value={text}
          placeholder={field.default === undefined ? 'a path at audience start' : String(field.default)}
          onInput={({ currentTarget }) => {
            sent.value = undefined
            onText(currentTarget.value)
          }}
          spellcheck={false}
          autocomplete="off"
        />
        <FilePick
          text="Upload…"
          about={about['aria-label'] ?? field.name}
          isBusy={sent.value?.state === 'under way'}
          onFile={send}
        />
      </div>
      <small role="status">{sent.value && <Progress sent={sent.value} />}</small>
    </div>
  )
}

function Progress({ sent }: { readonly sent: Sent }) {
  if (sent.state === 'failed') return <span class="bad">It was not uploaded: {sent.why}</span>
  const { name, size } = sent.file
  return (
    <span class={sent.state === 'done' ? 'good' : 'busy'}>
      {sent.state === 'done' ? 'Uploaded' : 'Uploading'} <bdi>{name}</bdi>, {formatBytes(size)}
    </span>
  )
}
