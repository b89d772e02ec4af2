import { sha256 } from '../../core/sha256.ts'
import { type Message, plainText, shortened } from '../message.ts'

const MAX_SUBJECT = 200

/** A message as an e-mail. If it is sent twice, both have the same Message-ID, and many mail readers show it once. */
export function mailOf(message: Message): {
  readonly subject: string
  readonly text: string
  readonly messageId: string
} {
  const { key, title } = message
  return {
    subject: `[audience] ${shortened(title.replace(/\p{Cc}+/gu, ' '), MAX_SUBJECT)}`,
    text: `${title}\n\n${plainText(message)}\n`,
    messageId: `<${sha256(key).slice(0, 32)}@audience-pipelines>`,
  }
}
