// Two browsers on the chat page at the URL of the first argument: what one says both see. The second argument is where
// the picture of the page goes.
'use strict';
const { chromium } = require('playwright-core');

async function open(browser, url) {
  const page = await browser.newPage();
  page.setDefaultTimeout(20000);
  const errors = [];
  page.on('pageerror', (e) => errors.push(e.message));
  page.on('console', (m) => { if (m.type() === 'error') errors.push(m.text()); });
  await page.goto(url);
  await page.getByText('connected', { exact: true }).waitFor();
  return { page, errors };
}

async function main() {
  const [url, picture] = process.argv.slice(2);
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  try {
    const one = await open(browser, url);
    const other = await open(browser, url);
    for (const text of ['hello from a browser', 'Grüße, Привет <b>&amp;']) {
      await one.page.locator('#text').fill(text);
      await one.page.getByRole('button').click();
      await other.page.locator('#log').getByText(text).waitFor();
      await one.page.locator('#log').getByText(text).waitFor();
    }
    await other.page.locator('#text').fill('and back');
    await other.page.keyboard.press('Enter');
    await one.page.locator('#log').getByText('and back').waitFor();
    await one.page.screenshot({ path: picture });
    // A browser asks for /favicon.ico by itself.
    const errors = [...one.errors, ...other.errors].filter((e) => !e.includes('favicon') && !e.includes('404'));
    if (errors.length > 0) throw new Error(errors.join('\n'));
  } finally {
    await browser.close();
  }
}

main().then(() => console.log('done'), (err) => { console.error(err); process.exit(1); });
