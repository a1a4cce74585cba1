/* global GraphiQL, React, ReactDOM */
// The explorer as an OAuth client: authorization code with PKCE (RFC 7636), bound to this origin
// (RFC 8707), with state and issuer checked (RFC 9207). Only this variable holds the tokens, because
// the origin also serves sign-in and the admin area. After a reload the member signs in again.
let pair

const { origin, clientId, redirectUri } = document.getElementById('explorer').dataset
const PENDING = 'member-api-explorer'

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
  pair = await askToken({
    grant_type: 'authorization_code',
    code: response.get('code'),
    redirect_uri: redirectUri,
    code_verifier: pending.verifier,
  })
}

async function askToken(fields) {
  const answer = await post('/api/oauth/token', { ...fields, resource: origin })
  const body = await answer.json()
  if (!answer.ok) throw new Error(body.error_description)
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
  try {
    pair = await askToken({ grant_type: 'refresh_token', refresh_token: pair.refresh_token })
  } catch {
    location.reload()
  }
  return (await callApi(params)).json()
}

function callApi(params) {
  return fetch('/member/graphql', {
    method: 'POST',
    headers: { authorization: `Bearer ${pair.access_token}`, 'content-type': 'application/json' },
    body: JSON.stringify(params),
  })
}

async function signOut() {
  // The refresh token ends the pair even if the access token has expired.
  await post('/api/oauth/revoke', { token: pair.refresh_token })
  location.reload()
}

function explore() {
  document.getElementById('welcome').hidden = true
  document.getElementById('sign-out').hidden = false
  ReactDOM.createRoot(document.getElementById('graphiql')).render(
    React.createElement(GraphiQL, {
      fetcher,
      defaultQuery: DEFAULT_QUERY,
      isHeadersEditorEnabled: false,
      shouldPersistHeaders: false,
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
  finishSignIn(response).then(explore, (error) => showMessage(error.message))
}
