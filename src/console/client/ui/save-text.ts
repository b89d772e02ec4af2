/** Lets the browser save a text as a file. */
export function saveText(name: string, text: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  link.download = name
  link.click()
  // By then, the browser has begun to read it.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
