import { useRef } from 'preact/hooks'

interface FilePickProps {
  text: string
  /** What the file is for, for screen readers. */
  about: string
  accept?: string
  isBusy?: boolean
  onFile: (file: File) => void
}

/** A button that opens the browser's dialog for choosing a file. */
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
          // Lets people choose the same file again after it has changed.
          currentTarget.value = ''
          if (file) onFile(file)
        }}
      />
    </>
  )
}
