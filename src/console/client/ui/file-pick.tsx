import { useRef } from 'preact/hooks'

interface FilePickProps {
  text: string
  /** What it is for, for screen readers. */
  about: string
  accept?: string
  isBusy?: boolean
  onFile: (file: File) => void
}

/** A button that opens the browser's choice of a file. */
export function FilePick({ text, about, accept, isBusy = false, onFile }: FilePickProps) {
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
        accept={accept}
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
