import { type Signal, useSignal } from '@preact/signals'
import { formatBytes } from '../../../../core/format/figures.ts'
import { asCallError } from '../../api/call-error.ts'
import { upload } from '../../api/request.ts'
import type { FieldItem } from '../../api/types.ts'
import { valueText } from '../../format/value-text.ts'
import { FilePick } from '../../ui/file-pick.tsx'

const KEYBOARDS: Readonly<Record<string, 'numeric' | 'decimal'>> = { integer: 'numeric', number: 'decimal' }

/** The control for one value. The type of the value decides which control it is. */
export function Control(props: ControlProps) {
  const { field, text, onText, about } = props
  const { type, values, required, default: usual } = field
  const onInput = ({ currentTarget }: { currentTarget: { value: string } }) => onText(currentTarget.value)
  const choices = type === 'boolean' ? ['true', 'false'] : values
  if (choices)
    return (
      <select {...about} value={text} onChange={onInput}>
        {(!required || text === '') && (
          <option value="">{usual === undefined ? '' : `${valueText(usual)} (default)`}</option>
        )}
        {choices.map((value) => (
          <option key={value}>{value}</option>
        ))}
      </select>
    )
  if (type === 'file') return <FileControl {...props} />
  if (type === 'list')
    return <textarea {...about} value={text} onInput={onInput} rows={5} dir="auto" spellcheck={false} />
  if (type === 'date') return <input {...about} type="date" value={text} onInput={onInput} />
  return (
    <input
      {...about}
      inputMode={KEYBOARDS[type] ?? 'text'}
      value={text}
      dir="auto"
      placeholder={usual === undefined ? '' : valueText(usual)}
      onInput={onInput}
      spellcheck={false}
      autocomplete="off"
    />
  )
}

/** The data that the fields of a form share. */
export interface Form {
  readonly pipeline: string
  /** How many files are being uploaded. The form waits for them. */
  readonly uploads: Signal<number>
}

/** The control for one typed value. */
interface ControlProps {
  field: FieldItem
  text: string
  onText: (text: string) => void
  form: Form
  /** The ids of the elements with its name and description. */
  about: {
    id: string
    'aria-label'?: string
    'aria-describedby': string
    'aria-invalid': boolean
    'aria-required': boolean
  }
}

type Sent =
  | { readonly state: 'under way' | 'done'; readonly file: File }
  | { readonly state: 'failed'; readonly why: string }

/**
 * A file, given as its path on the machine of the daemon. A file on this computer is uploaded first. Then its path on
 * that machine is filled in.
 */
function FileControl({ field, text, onText, about, form: { pipeline, uploads } }: ControlProps) {
  const sent = useSignal<Sent | undefined>(undefined)
  const send = async (file: File) => {
    sent.value = { state: 'under way', file }
    uploads.value += 1
    try {
      const answer = await upload('uploads.add', { pipeline, name: file.name }, file)
      sent.value = { state: 'done', file }
      onText(answer.file)
    } catch (error) {
      sent.value = { state: 'failed', why: asCallError(error).message }
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
          placeholder={field.default === undefined ? 'a path on the server' : String(field.default)}
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

function Progress({ sent }: { sent: Sent }) {
  if (sent.state === 'failed') return <span class="bad">It was not uploaded: {sent.why}</span>
  const { name, size } = sent.file
  return (
    <span class={sent.state === 'done' ? 'good' : 'busy'}>
      {sent.state === 'done' ? 'Uploaded' : 'Uploading'} <bdi>{name}</bdi>, {formatBytes(size)}
    </span>
  )
}
