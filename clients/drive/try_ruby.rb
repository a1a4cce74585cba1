# Does with a recipe what the lines on its input say, for drive/program.ts.
require 'json'
require_relative "../#{ARGV.fetch(0)}"

app = JSON.parse(ENV.fetch('APPLICATION'))
client = Recipe.connect(app)
checks = nil
token = nil

$stdin.each_line do |line|
  request = JSON.parse(line)
  answer =
    case request['do']
    when 'begin'
      url, checks = Recipe.begin_sign_in(client, app)
      url
    when 'finish'
      token = Recipe.finish(client, app, request['callback'], checks)
      'signed in'
    when 'me'
      token = Recipe.refresh(token)
      token.get('/api/oauth/userinfo').body
    else
      Recipe.sign_out(client, app, token)
      'signed out'
    end
  puts JSON.generate(answer: answer)
rescue StandardError => e
  puts JSON.generate(error: e.inspect)
ensure
  $stdout.flush
end
