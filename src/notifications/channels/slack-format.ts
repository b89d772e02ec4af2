import { stringifyJson } from '../../core/json.ts'
import { type Message, shortened } from '../message.ts'

/** The UTF-16 units that Slack accepts in the text of a header and of a section. */
const MAX_HEADER = 150
const MAX_SECTION = 3000

/** The body for an incoming web hook of Slack: blocks, with a plain `text` for notifications on a screen. */
export function slackBody({ title, facts, paragraphs, next }: Message): string {
  const sections = [
    facts.map(([label, value]) => `*${escaped(label)}:* ${escaped(value)}`).join('\n'),
    ...paragraphs.map(escaped),
    next.length > 0 ? `*What to do next*\n\`\`\`${escaped(next.join('\n'))}\`\`\`` : '',
  ]
  return stringifyJson({
    text: escaped(title),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: shortened(title, MAX_HEADER) } },
      ...sections
        .filter((text) => text !== '')
        .map((text) => ({ type: 'section', text: { type: 'mrkdwn', text: cut(text) } })),
    ],
  })
}

/** Without this, `<!channel>` in a service's text would alert everybody in the channel. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Does not cut within an entity. */
function cut(text: string): string {
  return text.length <= MAX_SECTION ? text : `${shortened(text, MAX_SECTION - 1).replace(/&[a-z]*…$/, '')}…`
}
