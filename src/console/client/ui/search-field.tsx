import { useEffect, useRef } from 'preact/hooks'

const TYPING_PAUSE_MS = 250

interface SearchFieldProps {
  text: string
  label: string
  hint: string
  onText: (text: string) => void
}

/** A search that begins when somebody stops typing. */
export function SearchField({ text, label, hint, onText }: SearchFieldProps) {
  const input = useRef<HTMLInputElement>(null)
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    if (input.current && document.activeElement !== input.current) input.current.value = text
  }, [text])
  useEffect(() => () => clearTimeout(pause.current), [])
  return (
    <input
      ref={input}
      type="search"
      aria-label={label}
      placeholder={hint}
      defaultValue={text}
      maxLength={200}
      dir="auto"
      onInput={({ currentTarget }) => {
        clearTimeout(pause.current)
        pause.current = setTimeout(() => onText(currentTarget.value.trim()), TYPING_PAUSE_MS)
      }}
    />
  )
}
