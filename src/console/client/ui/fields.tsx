import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface FieldProps {
  label: string
  value: string
  onText: (text: string) => void
  type?: 'date'
  min?: string
  max?: string
  required?: boolean
  maxLength?: number
  placeholder?: string
  inputMode?: 'numeric' | 'decimal' | 'text'
  autocomplete?: 'off'
}

/** An input with its label. */
export function Field({ label, type, onText, ...others }: FieldProps) {
  const id = useId()
  const onInput = ({ currentTarget }: { currentTarget: HTMLInputElement }) => onText(currentTarget.value)
  const attributes = { ...others, id, onInput }
  return (
    <label class="field" for={id}>
      {label}
      {type === 'date' ? <input type="date" {...attributes} /> : <input {...attributes} />}
    </label>
  )
}

/** The properties of a field that shows and changes a signal. */
export function bound(signal: Signal<string>): Pick<FieldProps, 'value' | 'onText'> {
  return { value: signal.value, onText: (text) => (signal.value = text) }
}

export function ReasonField({ value, required = false }: { value: Signal<string>; required?: boolean }) {
  const placeholder = required ? 'required' : 'optional'
  return <Field label="Reason, for the audit log" {...bound(value)} maxLength={1000} {...{ placeholder, required }} />
}

/** A box to check. */
export function CheckField({ value, children }: { value: Signal<boolean>; children: ComponentChildren }) {
  return (
    <label class="check">
      <input type="checkbox" checked={value} onChange={({ currentTarget }) => (value.value = currentTarget.checked)} />
      {children}
    </label>
  )
}

interface SelectProps<Value extends string> {
  /** The label. If absent, `name` is used. */
  label?: string
  name?: string
  class?: string
  value: Value
  /** The values, or values with their texts. */
  choices: readonly (Value | readonly [value: Value, text: string])[]
  onChoice: (value: Value) => void
}

/** A choice of one value. */
export function Select<Value extends string>({ label, name, value, choices, onChoice, ...props }: SelectProps<Value>) {
  const id = useId()
  const pairs = choices.map((choice) => (typeof choice === 'string' ? ([choice, choice] as const) : choice))
  const select = (
    <select
      id={id}
      aria-label={name}
      value={value}
      onChange={({ currentTarget }) => {
        const chosen = pairs[currentTarget.selectedIndex]
        if (chosen) onChoice(chosen[0])
      }}
    >
      {pairs.map(([one, text]) => (
        <option key={one} value={one}>
          {text}
        </option>
      ))}
    </select>
  )
  if (label === undefined) return select
  return (
    <label class={props.class ?? 'field'} for={id}>
      {label}
      {select}
    </label>
  )
}
