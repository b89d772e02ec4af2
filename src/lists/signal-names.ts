import { FILE_SIGNALS, type FileSignal, isHashable } from '../contract/enumerations.ts'

/**
 * Words that may come before the word for an e-mail address, to say whose it is. Words for other people (`agent`,
 * `owner`, `secondary`) are left out.
 */
const WHOSE = [
  'account|client|contacts?|customer|datasubject|lead|main|member|person|personal|primary',
  'profile|recipient|registered|requester|subscriber|unsubscribed|user|work',
].join('|')
/** Column names for e-mail addresses, as letters and digits only. */
const EMAILS = [
  'e?mails?(?:addr|address|addresses|adress|adresse|id)?|e?mails?1(?:value)?|recipients?|hem',
  'adressee?mail|courriel|correo(?:electronico)?|emailadres|enderecodeemail|epost(?:adress)?',
  'indirizzoe?mail|adrese?mail|sahkoposti|электроннаяпочта|адресэлектроннойпочты|элпочта',
  'メール|メールアドレス|電子メール|邮箱|电子邮件|電子郵件|이메일|이메일주소',
].join('|')
const NAMES: Readonly<Record<FileSignal, string>> = {
  EMAIL: `(?:${WHOSE})?(?:${EMAILS})`,
  IP: '(?:client|user|remote|device)?ip(?:v4|v6)?(?:addr|address)?',
  IDFA: '(?:apple)?idfa|(?:ios|apple)(?:idfa|advertisingid|adid)',
  AAID: 'aaid|gaid|(?:google|android)(?:advertisingid|adid)',
  STBID: 'stbid|settopboxid',
  ADDRESS: '(?:postal|street|mailing|home)?address',
  BGID: 'bgid',
  RECORD_ID: 'recordid',
  PARTNER_RECORD_ID: 'partnerrecordid',
}
const NAME = Object.fromEntries(
  Object.entries(NAMES).map(([signal, names]) => [signal, new RegExp(`^(?:${plain(names)})$`, 'u')]),
)
/** `address` is left out, because columns with e-mail addresses can have that name, too. */
const TELLING = FILE_SIGNALS.filter((signal) => signal !== 'ADDRESS')

/** The signal that the name of a column stands for, in the words that exporting programs use. */
export function signalOf(name: string): FileSignal | undefined {
  return TELLING.find((signal) => isNameOf(name, signal))
}

export function isNameOf(name: string, signal: FileSignal): boolean {
  const letters = lettersOf(name)
  const own = isHashable(signal) ? letters.replace(/sha256|sha2|hashed|hash/g, '') : letters
  return NAME[signal]?.test(own) ?? false
}

/**
 * Whether the name of a column says that it may have keys of the signal in a form that cannot be compared: `email_md5`.
 */
export function mentions(name: string, signal: FileSignal): boolean {
  return signal === 'EMAIL' && lettersOf(name).includes('mail')
}

function lettersOf(name: string): string {
  return plain(name)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
}

/** Removes accents, and converts full-width characters to ASCII. */
function plain(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '')
}
