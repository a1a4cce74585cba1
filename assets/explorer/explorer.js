/* global GraphiQL, React, ReactDOM */
// The explorer as an OAuth client: authorization code with PKCE (RFC 7636), bound to this origin
// (RFC 8707), with state and issuer checked (RFC 9207). The tokens are kept in the session storage of this
// tab, so that a reload does not end the sign-in; they are gone with the tab. No page of this origin runs a
// script that is not ours (Content-Security-Policy), so no other script reads them.
// A browser copies the session storage into a duplicated tab. Two tabs with one refresh token would end each
// other's sign-in, so the tab that has the tokens holds a lock, and the copy forgets them.
let pair

const { origin, clientId, redirectUri } = document.getElementById('explorer').dataset
const PENDING = 'member-api-explorer'
const KEPT = 'member-api-explorer-pair'
const QUERY = 'member-api-explorer-query'

const DEFAULT_QUERY = `# Ctrl-Enter runs this query; Ctrl-Space suggests fields.
{
  viewer {
    name
    schools {
      name
      roles
    }
    enrolledCourses(first: 5) {
      nodes {
        title
        detailProgress {
          percent
        }
      }
    }
    unreadNotificationCount
  }
}
`

const base64url = (bytes) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)))

async function signIn(scope) {
  if (crypto.subtle === undefined) {
    showMessage(
      'Browsers offer cryptography only on https and on localhost. Open the explorer there.',
    )
    return
  }
  const verifier = random()
  const state = random()
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  sessionStorage.setItem(PENDING, JSON.stringify({ verifier, state }))
  const request = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    resource: origin,
    code_challenge: base64url(new Uint8Array(digest)),
    code_challenge_method: 'S256',
    state,
  })
  location.assign(`/oauth/authorize?${request}`)
}

/** Checks the answer of the authorization endpoint, then exchanges the code. */
async function finishSignIn(response) {
  const pending = JSON.parse(sessionStorage.getItem(PENDING) ?? 'null')
  sessionStorage.removeItem(PENDING)
  history.replaceState(null, '', location.pathname)
  if (pending === null || response.get('state') !== pending.state) {
    throw new Error('This answer does not belong to a sign-in of this tab. Sign in again.')
  }
  if (response.get('iss') !== origin) {
    throw new Error('This answer comes from another server. Sign in again.')
  }
  if (response.has('error')) {
    throw new Error(response.get('error_description') ?? response.get('error'))
  }
  await takePair({
    grant_type: 'authorization_code',
    code: response.get('code'),
    redirect_uri: redirectUri,
    code_verifier: pending.verifier,
  })
}

async function takePair(fields) {
  const { access_token, refresh_token } = await askToken(fields)
  pair = { access_token, refresh_token, lock: pair?.lock ?? random() }
  sessionStorage.setItem(KEPT, JSON.stringify(pair))
}

/** The pair of this tab from before a reload. */
function findPair() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

/** How long a reload may take to give back the lock of the page before. */
const RELEASE_MS = 2000

/** Whether no other tab has these tokens. The lock is held until the page is gone. */
function ownsPair() {
  // Without secure context there are no locks, and no sign-in either.
  if (navigator.locks === undefined) return Promise.resolve(true)
  return new Promise((resolve) => {
    const held = () => {
      resolve(true)
      return new Promise(() => {})
    }
    navigator.locks
      .request(`${KEPT}-${pair.lock}`, { signal: AbortSignal.timeout(RELEASE_MS) }, held)
      .catch(() => resolve(false))
  })
}

async function askToken(fields) {
  const answer = await post('/api/oauth/token', { ...fields, resource: origin })
  const body = await answer.json()
  if (!answer.ok) {
    const isRefusal = answer.status === 400 || answer.status === 401
    throw Object.assign(new Error(body.error_description), { isRefusal })
  }
  return body
}

function post(path, fields) {
  return fetch(path, {
    method: 'POST',
    body: new URLSearchParams({ ...fields, client_id: clientId }),
  })
}

/** An access token lasts two hours. After a 401, refreshes once and repeats the call. */
async function fetcher(params) {
  const first = await callApi(params)
  if (first.status !== 401) return first.json()
  // Several calls may find out at the same time; one refresh serves them all.
  refreshing ??= refresh().finally(() => {
    refreshing = undefined
  })
  await refreshing
  return (await callApi(params)).json()
}

let refreshing

/** A refused refresh ends the sign-in of this tab; when the server cannot answer, the tokens stay. */
async function refresh() {
  try {
    await takePair({ grant_type: 'refresh_token', refresh_token: pair.refresh_token })
  } catch (error) {
    if (error.isRefusal) startOver()
    throw error
  }
}

function startOver() {
  sessionStorage.removeItem(KEPT)
  location.reload()
}

function callApi(params) {
  return fetch('/member/graphql', {
    method: 'POST',
    headers: { authorization: `Bearer ${pair.access_token}`, 'content-type': 'application/json' },
    body: JSON.stringify(params),
  })
}

/** Keeps the tokens if they could not be ended: the person can try again. */
async function signOut() {
  // The refresh token ends the pair even if the access token has expired.
  const answer = await post('/api/oauth/revoke', { token: pair.refresh_token }).catch(
    () => undefined,
  )
  if (answer?.ok) startOver()
  else showMessage('The school did not answer, so you are still signed in. Try again in a moment.')
}

/** GraphiQL takes its main colour as hue, saturation and lightness; the theme has the school's as hexadecimal. */
function useSchoolColour() {
  const hex = getComputedStyle(document.documentElement).getPropertyValue('--brand-text').trim()
  const [r, g, b] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
  const [max, min] = [Math.max(r, g, b), Math.min(r, g, b)]
  const [spread, lightness] = [max - min, (max + min) / 2]
  let hue = 0
  if (spread > 0 && max === r) hue = ((g - b) / spread + 6) % 6
  else if (spread > 0 && max === g) hue = (b - r) / spread + 2
  else if (spread > 0) hue = (r - g) / spread + 4
  const saturation = spread === 0 ? 0 : spread / (1 - Math.abs(2 * lightness - 1))
  const percent = (part) => `${Math.round(part * 100)}%`
  const value = `${Math.round(hue * 60)}, ${percent(saturation)}, ${percent(lightness)}`
  document.documentElement.style.setProperty('--school-colour', value)
}

function explore() {
  useSchoolColour()
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', useSchoolColour)
  document.getElementById('welcome').hidden = true
  document.getElementById('sign-out').hidden = false
  ReactDOM.createRoot(document.getElementById('graphiql')).render(
    React.createElement(GraphiQL, {
      fetcher,
      defaultQuery: DEFAULT_QUERY,
      // GraphiQL opens an empty tab after a reload unless it is told which query was open.
      query: localStorage.getItem(QUERY) ?? DEFAULT_QUERY,
      onEditQuery: (query) => localStorage.setItem(QUERY, query),
      isHeadersEditorEnabled: false,
      shouldPersistHeaders: false,
      forcedTheme: 'system',
    }),
  )
}

function showMessage(text) {
  const message = document.getElementById('message')
  message.textContent = text
  message.hidden = false
}

document
  .getElementById('sign-in')
  .addEventListener('click', () => signIn('openid account:read account:write'))
document
  .getElementById('sign-in-read')
  .addEventListener('click', () => signIn('openid account:read'))
document.getElementById('sign-out').addEventListener('click', signOut)

const response = new URLSearchParams(location.search)
if (response.has('code') || response.has('error')) {
  finishSignIn(response)
    .then(ownsPair)
    .then(explore, (error) => showMessage(error.message))
} else {
  pair = findPair()
  if (pair !== undefined) resume()
}

async function resume() {
  if (await ownsPair()) {
    explore()
    return
  }
  pair = undefined
  sessionStorage.removeItem(KEPT)
  showMessage('This tab is a copy of another one. Sign in here too, or go on in the other tab.')
}
