import type { WireHeaders } from './exchange.ts'

/** What caches of many makes write if they answered with what they had. A hit that they made sure of does not count. */
const SIGNS: Readonly<Record<string, RegExp>> = {
  // Some caches write an age of 0 on each answer.
  Age: /^\s*0*[1-9]/,
  'Cache-Status': /;\s*hit\b/i,
  'CF-Cache-Status': /^(hit|stale|updating)/i,
  'X-Cache': /(?<![a-z]|refresh_)hit(?![a-z])/i,
  'X-Cache-Status': /^(hit|stale|updating)/i,
  'X-Proxy-Cache': /^(hit|stale|updating)/i,
}

/** The name of the header that tells that a cache answered, and not the service; undefined if none does. */
export function cachedBy(headers: WireHeaders): string | undefined {
  const found = Object.entries(SIGNS).find(([name, sign]) => sign.test(String(headers[name.toLowerCase()] ?? '')))
  return found?.[0]
}
