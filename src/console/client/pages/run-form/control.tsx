import { valueText } from '../../format/value-text.ts'
import { FileControl } from './file-control.tsx'
import type { ControlProps } from './form.ts'

const KEYBOARDS: Readonly<Record<string, 'numeric' | 'decimal'>> = { integer: 'numeric', number: 'decimal' }

/** What one value is typed into or chosen from, by its type. */
export function Control(props: ControlProps) {
  const { field, text, onText, about } = props
  const { type, values, required, default: usual } = field
  const onInput = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
    onText(currentTarget.value)
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
