import { styleText } from 'node:util'

export type Style = (format: Parameters<typeof styleText>[0], text: string) => string

/** Colours if the stream supports them: none without a terminal or with NO_COLOR. */
export function styleFor(stream: NodeJS.WriteStream): Style {
  return (format, text) => styleText(format, text, { stream })
}
