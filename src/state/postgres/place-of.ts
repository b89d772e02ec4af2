/** Names a database for people: `HOST:PORT/NAME`, without the user, the password and the options of its URL. */
export function placeOf(url: string): string {
  if (!URL.canParse(url)) return 'the database'
  const { host, pathname, searchParams } = new URL(url)
  return `${host || searchParams.get('host') || 'localhost'}${decoded(pathname)}`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
