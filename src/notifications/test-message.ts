import type { Message } from './message.ts'

/** The message that tests a channel. */
export function testMessage(channel: string, at: number, link?: string): Message {
  return {
    key: `test/${at}`,
    event: 'test',
    at,
    title: `Test of channel ${channel}`,
    link,
    facts: [],
    paragraphs: ['Messages about pipelines will come here. Nothing has happened, and you need not do anything.'],
    next: [],
    notifications: [],
  }
}
