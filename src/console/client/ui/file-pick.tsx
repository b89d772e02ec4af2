import { useRef } from 'preact/hooks'

/** A button that opens the browser's choice of a file. */
export function FilePick({
  text,
  about,
  accept,
  isBusy = false,
  onFile,
}: {
  readonly text: string
  /** What it is for, for screen readers. */
  readonly about: string
  readonly accept?: string
  readonly isBusy?: boolean
  readonly onFile: (file: File) => void
}) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <button type="button" aria-disabled={isBusy} onClick={() => isBusy || input.current?.click()}>
        {text}
        <span class="hidden"> {about}</span>
      </button>
      <input
        ref={input}
        type="file"
        hidden
        {...(accept !== undefined && { accept })}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0]
          // The same file can be chosen again after it changed.
          currentTarget.value = ''
          if (file) onFile(file)
        }}
      />
    </>
  )
}
