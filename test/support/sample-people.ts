export const school = {
  name: 'Demo Academy',
  origin: 'http://localhost:3000',
  themeVersion: 'demo',
}
export const harbor = {
  name: 'Harbor School',
  origin: 'http://harbor.localhost:3000',
  logoUrl: '/logo.svg',
  themeVersion: 'harbor',
}
export const formToken = 'c2FtcGxlLWZvcm0tdG9rZW4'
export const person = { name: 'Ada Lovelace', email: 'ada@demo.test', avatarUrl: '/avatar.svg' }
export const student = { operator: false, formToken }
export const owner = { operator: true, formToken }

export const hostileName = `<script>alert(1)</script>\u202e\u2067gnp.exe \u200b${'Z\u0334\u0358\u035c\u0341\u0300\u0301'.repeat(20)}👩‍👩‍👧‍👦${'x'.repeat(300)}`

/** A question to a device, which no server asked. */
export const passkeyQuestion = {
  options: { rpId: 'localhost', challenge: 'YSBjaGFsbGVuZ2U' },
  sealed: 'c2VhbGVkLWNoYWxsZW5nZQ',
}
