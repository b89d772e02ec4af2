import { useId } from 'preact/hooks'
import type { InputDeclaration } from '../../api/types.ts'
import { valueText } from '../../format/value-text.ts'

interface FieldProps {
  readonly input: InputDeclaration
  readonly text: string
  readonly wrong: string | undefined
  readonly onText: (name: string, text: string) => void
}

const KEYBOARDS: Readonly<Record<string, 'numeric' | 'decimal'>> = { integer: 'numeric', number: 'decimal' }

/** One input by its type: a choice, a date, a number, a list, a file by its name, or a text. */
export function InputField({ input, text, wrong, onText }: FieldProps) {
  const id = useId()
  const { name, type, required, description, default: usual } = input
  const common = {
    id,
    'aria-describedby': `${id}-help`,
    'aria-invalid': wrong !== undefined,
    required: required && type !== 'string',
  }
  return (
    <div class="field">
      <label for={id}>
        <bdi>{name}</bdi> <small class="muted">{required ? `${type}, required` : type}</small>
      </label>
      <Control input={input} text={text} common={common} onText={onText} />
      <small id={`${id}-help`} class="muted">
        {description} {type === 'file' && 'A file in the pipelines folder or in a watched folder.'}{' '}
        {type === 'list' && 'One value a line, or a JSON list.'} {usual !== undefined && `Default: ${valueText(usual)}`}
      </small>
      {wrong !== undefined && (
        <small class="wrong" role="alert">
          {name} {wrong}
        </small>
      )}
    </div>
  )
}

function Control({
  input: { name, type, values, required },
  text,
  common,
  onText,
}: {
  readonly input: InputDeclaration
  readonly text: string
  readonly common: { readonly id: string; readonly required: boolean }
  readonly onText: (name: string, text: string) => void
}) {
  const onInput = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
    onText(name, currentTarget.value)
  const choices = type === 'boolean' ? ['true', 'false'] : values
  if (choices)
    return (
      <select {...common} value={text} onChange={onInput}>
        {(!required || text === '') && <option value="" />}
        {choices.map((value) => (
          <option key={value}>{value}</option>
        ))}
      </select>
    )
  if (type === 'list') return <textarea {...common} value={text} onInput={onInput} rows={5} spellcheck={false} />
  if (type === 'date') return <input {...common} type="date" value={text} onInput={onInput} />
  return (
    <input
      {...common}
      inputMode={KEYBOARDS[type] ?? 'text'}
      value={text}
      onInput={onInput}
      spellcheck={false}
      autocomplete="off"
    />
  )
}
