import { describe, expect, test } from 'vitest'
import type { Notification } from '../../../src/core/notification.ts'
import { mailOf } from '../../../src/notifications/channels/email-channel.ts'
import { jsonBody } from '../../../src/notifications/channels/json-format.ts'
import { slackBody } from '../../../src/notifications/channels/slack-format.ts'
import { teamsBody } from '../../../src/notifications/channels/teams-format.ts'
import { plainText, writeMessage } from '../../../src/notifications/message.ts'

const FAILURE: Notification = {
  key: 'failure/run-1',
  event: 'failure',
  at: Date.UTC(2026, 10, 21, 2),
  pipeline: 'auto_intenders',
  trigger: 'nightly',
  runId: 'run-1',
  step: 'match',
  title: 'auto_intenders failed at step "match"',
  error: {
    code: 'rejected',
    message: 'step "match" rejected: 400 <!channel> partnerId & groupId',
    hint: 'give one of them',
    at: { file: 'pipelines/nightly.yaml', line: 31, column: 7 },
  },
  next: ['audience runs show run-1', 'audience runs retry run-1'],
}
const many = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    ...FAILURE,
    key: `failure/run-${index + 1}`,
    at: FAILURE.at + index,
    runId: `run-${index + 1}`,
    next: [`audience runs show run-${index + 1}`],
  })) as unknown as [Notification, ...Notification[]]

interface SlackBlock {
  readonly type: string
  readonly elements: readonly {
    readonly type: string
    readonly elements: readonly { readonly type: string; readonly text: string }[]
  }[]
}

describe('a message says what happened, where, why, and what to do', () => {
  test('as plain text', () => {
    expect(plainText(writeMessage([FAILURE]))).toBe(`Pipeline: auto_intenders
Trigger: nightly
Run: run-1
Step: match
Where: pipelines/nightly.yaml:31:7

step "match" rejected: 400 <!channel> partnerId & groupId

What to do: give one of them

What to do next:
  audience runs show run-1
  audience runs retry run-1`)
  })

  test('as JSON, with everything for programs', () => {
    expect(JSON.parse(jsonBody(writeMessage([FAILURE])))).toEqual({
      key: 'failure/run-1',
      event: 'failure',
      at: '2026-11-21T02:00:00.000Z',
      title: FAILURE.title,
      text: `${FAILURE.title}\n\n${plainText(writeMessage([FAILURE]))}`,
      next: FAILURE.next,
      count: 1,
      notifications: [{ ...FAILURE, at: '2026-11-21T02:00:00.000Z' }],
    })
  })

  test('for Slack, where what a service said calls nobody and every sign stays as it is', () => {
    const name = '*a*_b_`c`~d~ :fire: <!channel>'
    const body = JSON.parse(slackBody(writeMessage([{ ...FAILURE, pipeline: name, title: `${name} failed` }])))
    // Slack does not interpret markup anywhere: not in `text`, not in `plain_text`, and not in rich text.
    expect([body.text, body.mrkdwn]).toEqual(['*a*_b_`c`~d~ :fire: &lt;!channel&gt; failed', false])
    const [header, ...blocks] = body.blocks
    expect(header).toEqual({ type: 'header', text: { type: 'plain_text', text: `${name} failed`, emoji: false } })
    expect(new Set(blocks.map(({ type }: { type: string }) => type))).toEqual(new Set(['rich_text']))
    const parts = (blocks as SlackBlock[]).flatMap(({ elements }) => elements)
    expect(new Set(parts.flatMap(({ elements }) => elements.map(({ type }) => type)))).toEqual(new Set(['text']))
    expect(parts.map(({ type, elements }) => [type, elements.map(({ text }) => text).join('')])).toEqual([
      [
        'rich_text_section',
        `Pipeline: ${name}\nTrigger: nightly\nRun: run-1\nStep: match\nWhere: pipelines/nightly.yaml:31:7`,
      ],
      ['rich_text_section', 'step "match" rejected: 400 <!channel> partnerId & groupId'],
      ['rich_text_section', 'What to do: give one of them'],
      ['rich_text_section', 'What to do next'],
      ['rich_text_preformatted', 'audience runs show run-1\naudience runs retry run-1'],
    ])
  })

  test('for Teams, as a card of a workflow whose texts stay as they are', () => {
    const body = JSON.parse(teamsBody(writeMessage([FAILURE])))
    expect(body).toMatchObject({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          contentUrl: null,
          content: { type: 'AdaptiveCard', version: '1.4' },
        },
      ],
    })
    const blocks = body.attachments[0].content.body as { type: string; inlines: { text: string }[] }[]
    expect(new Set(blocks.map(({ type }) => type))).toEqual(new Set(['RichTextBlock']))
    expect(blocks.map(({ inlines }) => inlines.map(({ text }) => text).join(''))).toEqual([
      FAILURE.title,
      'Pipeline: auto_intenders',
      'Trigger: nightly',
      'Run: run-1',
      'Step: match',
      'Where: pipelines/nightly.yaml:31:7',
      'step "match" rejected: 400 <!channel> partnerId & groupId',
      'What to do: give one of them',
      'What to do next',
      'audience runs show run-1',
      'audience runs retry run-1',
    ])
  })

  test('as e-mail, which keeps its Message-ID when it is sent again', () => {
    const mail = mailOf(writeMessage([{ ...FAILURE, title: 'failed\r\nBcc: everybody@example.com' }]))
    expect(mail.subject).toBe('[audience] failed Bcc: everybody@example.com')
    expect(mail.messageId).toBe(mailOf(writeMessage([FAILURE])).messageId)
    expect(mail.messageId).not.toBe(mailOf(writeMessage(many(2))).messageId)
    expect(mail.text).toContain('audience runs retry run-1')
  })
})

describe('with the address of the console, a message has a link', () => {
  const HOME = 'https://tools.example.com/audience/'
  const owned = { ...FAILURE, owner: 'growth', severity: 'critical' } as const
  const linkOf = (...notifications: [Notification, ...Notification[]]) => writeMessage(notifications, HOME).link

  test.each([
    ['to the run', FAILURE, 'runs/run-1'],
    ['to the question', { ...FAILURE, page: 'runs/run-1?step=each&index=3' }, 'runs/run-1?step=each&index=3'],
    ['to the pipeline, without a run', { ...FAILURE, runId: undefined }, 'pipelines/auto_intenders'],
  ])('%s', (_name, notification, page) => {
    expect(linkOf(notification)).toBe(HOME + page)
  })

  test.each([
    ['failure', 'runs?pipeline=auto_intenders&status=failed'],
    ['approval', 'runs?pipeline=auto_intenders&status=waiting'],
    ['late', 'runs?pipeline=auto_intenders'],
  ] as const)('for several of %s, to the list', (event, page) => {
    const several = many(2).map((one) => ({ ...one, event })) as [Notification, ...Notification[]]
    expect(linkOf(...several)).toBe(HOME + page)
  })

  test('in every format, beside the owner and the severity', () => {
    const message = writeMessage([owned], HOME)
    const link = `${HOME}runs/run-1`
    expect(plainText(message)).toContain(`Severity: critical\nOwner: growth\n`)
    expect(plainText(message)).toContain(`\nConsole: ${link}\n`)
    expect(JSON.parse(jsonBody(message))).toMatchObject({
      ...{ link, owner: 'growth', severity: 'critical' },
      notifications: [{ link, owner: 'growth', severity: 'critical' }],
    })
    expect(slackBody(message)).toContain(JSON.stringify({ type: 'link', url: link, text: 'Open in the console' }))
    expect(JSON.parse(teamsBody(message)).attachments[0].content.actions).toEqual([
      { type: 'Action.OpenUrl', title: 'Open in the console', url: link },
    ])
  })

  test('and what to do next is announced only where there is something', () => {
    const bodies = [['a', 'b'], ['a'], []].map((next) => writeMessage([{ ...FAILURE, next }]))
    for (const write of [plainText, slackBody, teamsBody])
      expect(bodies.map((message) => write(message).includes('What to do next'))).toEqual([true, true, false])
  })

  test('and programs do not see the page that the link is made of', () => {
    expect(jsonBody(writeMessage([{ ...FAILURE, page: 'runs/run-1?step=ask' }]))).not.toContain('page')
  })
})

describe('several of one event and pipeline are one message', () => {
  test.each([
    ['failure', '12 runs of auto_intenders failed'],
    ['recovery', 'auto_intenders works again'],
    ['missed', 'auto_intenders missed 12 scheduled times'],
    ['late', '12 runs of auto_intenders are late'],
    ['approval', 'auto_intenders waits for 12 approvals'],
    ['decision', 'auto_intenders needs 12 decisions'],
  ] as const)('of %s', (event, title) => {
    const notifications = many(12).map((one) => ({ ...one, event })) as [Notification, ...Notification[]]
    expect(writeMessage(notifications)).toMatchObject({ event, title, at: FAILURE.at + 11 })
  })

  test('that tells some of them and counts the others', () => {
    const notifications = many(12).map((one) => ({ ...one, title: `${one.runId} failed` }))
    const { paragraphs, next } = writeMessage(notifications as unknown as [Notification, ...Notification[]])
    expect(paragraphs).toHaveLength(6)
    expect(paragraphs[0]).toContain(FAILURE.error?.message)
    expect(paragraphs[5]).toBe('and 7 more')
    expect(next).toEqual([1, 2, 3, 4, 5].map((index) => `audience runs show run-${index}`))
  })
})

test('the same failure of many runs is told once, with its number', () => {
  const [first, ...others] = many(12)
  const { paragraphs } = writeMessage([first, ...others, { ...first, title: 'another' }])
  expect(paragraphs).toEqual([`${first.title}: ${first.error?.message} (12 times)`, `another: ${first.error?.message}`])
})

test('whatever a service says, a message is no larger than its receiver takes', () => {
  const long = many(2000).map((one) => ({ ...one, error: { code: 'x', message: '<€💥'.repeat(2000) } }))
  const message = writeMessage(long as unknown as [Notification, ...Notification[]])
  expect(Buffer.byteLength(teamsBody(message))).toBeLessThan(28_000)
  const [, ...blocks] = JSON.parse(slackBody(message)).blocks as SlackBlock[]
  for (const { text } of blocks.flatMap(({ elements }) => elements).flatMap(({ elements }) => elements)) {
    expect(text.length).toBeLessThanOrEqual(3000)
  }
  expect(JSON.parse(jsonBody(message))).toMatchObject({ count: 2000, notifications: { length: 50 } })
})

test('no mark turns or hides text in what people read; programs get it as it is', () => {
  const bad = 'list\u202evsc.exe'
  const message = writeMessage([
    { ...FAILURE, title: bad, step: bad, error: { code: 'x', message: bad, hint: bad }, next: [bad] },
  ])
  for (const text of [message.title, plainText(message), slackBody(message), teamsBody(message)]) {
    expect(text).not.toContain('\u202e')
    expect(text).toContain('u202evsc.exe')
  }
  expect(message.notifications[0]?.title).toBe(bad)
})
