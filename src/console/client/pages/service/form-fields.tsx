/** A choice with its label. */
export function Choice<Value extends string>({
  label,
  value,
  choices,
  onChoice,
}: {
  readonly label: string
  readonly value: Value
  readonly choices: readonly (readonly [value: Value, text: string])[]
  readonly onChoice: (value: Value) => void
}) {
  return (
    <label class="field">
      {label}
      <select
        value={value}
        onChange={({ currentTarget }) => {
          const chosen = choices[currentTarget.selectedIndex]
          if (chosen) onChoice(chosen[0])
        }}
      >
        {choices.map(([id, text]) => (
          <option key={id} value={id}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}

/** A number, or a short text, with its label. */
export function Entry({
  label,
  value,
  onText,
  placeholder,
  isText = false,
}: {
  readonly label: string
  readonly value: string
  readonly onText: (text: string) => void
  readonly placeholder?: string
  readonly isText?: boolean
}) {
  return (
    <label class="field">
      {label}
      <input
        inputMode={isText ? 'text' : 'decimal'}
        autocomplete="off"
        maxLength={40}
        value={value}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
        {...(placeholder !== undefined && { placeholder })}
      />
    </label>
  )
}
