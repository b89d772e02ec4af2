import { useId } from 'preact/hooks'
import type { InputItem } from '../../api/types.ts'
import { valueText } from '../../format/value-text.ts'
import { FilePick } from '../../ui/file-pick.tsx'
import { Control, type Form } from './control.tsx'

interface InputFieldProps {
  input: InputItem
  text: string
  wrong: string | undefined
  form: Form
  onText: (text: string) => void
}

/** One input that is a single value, or a list of single values. */
export function InputField({ input, text, wrong, form, onText }: InputFieldProps) {
  const id = useId()
  const { name, type, required, description, default: usual } = input
  const about = {
    id,
    'aria-describedby': `${id}-help ${id}-wrong`,
    'aria-invalid': wrong !== undefined,
    'aria-required': required && type !== 'string',
  }
  return (
    <div class="field">
      <label for={id}>
        <bdi>{name}</bdi> <small class="muted">{required ? `${type}, required` : type}</small>
      </label>
      <Control field={input} text={text} onText={onText} form={form} about={about} />
      <small id={`${id}-help`} class="muted">
        {description}{' '}
        {type === 'file' && 'A file on this computer, or one in the pipelines folder or in a watched folder. '}
        {type === 'list' && 'One value per line, or a JSON list. '}
        {usual !== undefined && `Default: ${valueText(usual)}`}
      </small>
      {type === 'list' && (
        <span>
          <FilePick
            text="Read a file…"
            about={`into ${name}`}
            accept=".json,.csv,.txt"
            onFile={async (file) => onText(await file.text())}
          />
        </span>
      )}
      <small id={`${id}-wrong`} class="wrong">
        {wrong}
      </small>
    </div>
  )
}
