// The part of curl that the guide uses, so that its commands run where curl is not installed.
const [url, ...rest] = process.argv.slice(2).filter((argument) => argument !== '-s')
const fields = []
const headers = {}
for (let at = 0; at < rest.length; at += 2) {
  const [option, value] = [rest[at], rest[at + 1] ?? '']
  if (option === '-H')
    headers[value.slice(0, value.indexOf(':'))] = value.slice(value.indexOf(':') + 1)
  else if (option === '-d') fields.push(value)
  else if (option === '--data-urlencode') {
    const equals = value.indexOf('=')
    fields.push(`${value.slice(0, equals)}=${encodeURIComponent(value.slice(equals + 1))}`)
  } else throw new Error(`the guide uses curl with ${option}`)
}
const body = fields.length === 0 ? undefined : fields.join('&')
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const answer = await fetch(url, {
  method: body === undefined ? 'GET' : 'POST',
  headers: new Headers([
    ...Object.entries(body === undefined || headers['Content-Type'] ? {} : form),
    ...Object.entries(headers),
  ]),
  body,
})
process.stdout.write(await answer.text())
