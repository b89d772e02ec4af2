import { useEffect, useRef } from 'preact/hooks'
import { place, setQuery } from '../router/location.ts'

const TYPING_PAUSE_MS = 250

interface SearchFieldProps {
  /** The name of the query field. */
  name: string
  label: string
  hint?: string
  /** Is called before the URL changes. */
  onSearch?: () => void
}

/** A search that begins when somebody stops typing. The text is in the URL. */
export function SearchField({ name, label, hint = label, onSearch }: SearchFieldProps) {
  const text = place.value.query.get(name) ?? ''
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
        pause.current = setTimeout(() => {
          onSearch?.()
          setQuery({ [name]: currentTarget.value.trim() })
        }, TYPING_PAUSE_MS)
      }}
    />
  )
}
