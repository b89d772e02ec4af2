/** An error as S3 writes it. */
export class S3Error extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message = code) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** The text of an element. Characters that XML cannot contain are written as references. */
export function element(name: string, ...content: readonly (string | number)[]): string {
  return `<${name}>${content.join('')}</${name}>`
}

export function textElement(name: string, text: string): string {
  return element(
    name,
    text.replace(/[<>&"\p{Cc}]/gu, (each) => `&#${each.charCodeAt(0)};`),
  )
}

export function document(content: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${content}`
}

export function errorDocument({ code, message }: S3Error): string {
  return document(
    element('Error', textElement('Code', code), textElement('Message', message), element('RequestId', '1')),
  )
}
